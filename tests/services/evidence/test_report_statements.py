"""Statements as reports make them over tables and prose: right in other words or worked out, and wrong in one thing."""

import pytest

from services.evidence.support import check_support

FARES = "Passenger numbers fell by 12 percent in 2023. The council traces the fall to the closure of the Mill bridge and not to the fare rise of April 2023."
COSTS = "Fares covered 62 percent of operating costs in 2022, the city the rest."
BRIDGE = "工程于2004年1月开工，2007年7月建成通车。"
LINE = "工程于2008年4月开工，2015年12月通车。"
STAGES = "2005年6月，南段开工建设；2006年10月，全线铺通；2007年7月1日正式通车。"
YEARLY = (
    "| Year | Passengers (million) |\n|---|---|\n| 2018 | 2.10 |\n| 2020 | 2.20 |\n| 2022 | 1.60 |\n| 2024 | 2.35 |"
)
GREW = "year,line,passengers_million\n2019,A,1.2\n2019,B,2.2\n2019,C,0.8\n2023,A,1.5\n2023,B,2.6\n2023,C,0.9"
ONE_FELL = "year,line,passengers_million\n2019,A,1.2\n2019,B,2.2\n2019,C,0.8\n2023,A,1.5\n2023,B,2.1\n2023,C,0.9"
SPECIES = (
    "| Species | Group | 2015 (kt) | 2017 (kt) | 2019 (kt) | 2021 (kt) | 2023 (kt) |\n"
    "|---|---|---|---|---|---|---|\n| Herring | pelagic | 38.4 | 39.7 | 33.2 | 22.5 | 21.9 |\n"
    "| Mackerel | pelagic | 21.5 | 22.8 | 25.1 | 25.4 | 27.3 |\n| Sprat | pelagic | 12.3 | 11.6 | 8.7 | 6.1 | 7.2 |"
)
JOBS = (
    "| Sector | Port | 2015 (jobs) | 2019 (jobs) | 2023 (jobs) |\n|---|---|---|---|---|\n"
    "| Catching | Harnby | 684 | 622 | 538 |\n| Catching | Skelwick | 455 | 371 | 236 |\n"
    "| Catching | Osterholm | 492 | 478 | 461 |\n| Catching | Tarnmouth | 188 | 201 | 214 |"
)
PRICES = (
    "| Port | 2015 (EUR per kg) | 2023 (EUR per kg) |\n|---|---|---|\n| Harnby | 1.48 | 1.93 |\n"
    "| Skelwick | 1.26 | 1.82 |\n| Tarnmouth | 1.99 | 2.84 |"
)
REVENUE = (
    "Revenue of Pellwick Group by division, in millions of euros.\n\n| Division | 2020 | 2021 | 2022 | 2023 |\n"
    "|---|---|---|---|---|\n| Packaging | 312 | 335 | 361 | 348 |\n| Coatings | 198 | 176 | 181 | 204 |\n"
    "| Adhesives | 87 | 96 | 118 | 143 |\n| Services | n/a | 22 | 31 | 29 |"
)
ACCIDENTS = "2019年至2024年,大桥共发生交通事故1284起,其中2023年276起。"
VISITORS = "| 年份 | 接待游客(万人次) |\n|---|---|\n| 2018 | 190 |\n| 2019 | 327 |"
GRANARY = "Excavations uncovered a granary measuring 32 by 11 metres."
FIRE = "Radiocarbon dates place its destruction by fire, the granary burned down, between 1420 and 1380 BC."
ENGINES = "Quartz的写入吞吐量为每秒18万次，Slate为每秒12万次。"
PUMP = "The pump moves 300 litres per second."
OVERRUN = "决算报告将超支归因于钢材价格上涨和台风后的结构加固,其中钢材涨价占超支额的约六成。"
PORTS = (
    "year,port,landings_thousand_tonnes,first_sale_value_million_eur,active_vessels\n2015,Harnby,48.2,71.5,142\n"
    "2015,Skelwick,31.6,39.8,97\n2015,Osterholm,22.9,41.3,118\n2015,Tarnmouth,9.4,18.7,64"
)
TOTALS = "landings, four ports:\n2015: 112.1 thousand tonnes"
PROCESSING = (
    "| Sector | Port | 2015 (jobs) | 2019 (jobs) | 2023 (jobs) |\n|---|---|---|---|---|\n"
    "| Processing | Harnby | 1,120 | 1,185 | 1,096 |\n| Processing | Skelwick | 640 | 512 | 287 |\n"
    "| Processing | Osterholm | 385 | 467 | 590 |\n| Processing | Tarnmouth | 72 | 95 | 148 |"
)
TRIPS = "A trip costs 20 crowns; pensioners travel free of charge."
RELEASE = "Tarn于11月6日发布4.0版，默认存储引擎由Slate换成Quartz。"
RACE = (
    "| 名次 | 选手 | 所属队伍 | 完赛时间 | 补给站停留（分钟） |\n|---|---|---|---|---|\n| 1 | 乔若曦 | 长风跑团 | 9:14:30 | 21 |\n"
    "| 2 | 米兰达·科斯塔 | 个人 | 9:20:05 | 14 |\n| 3 | 尹书禾 | 长风跑团 | 9:41:52 | 33 |"
)
RULING = "On 14 June 2018 the Court of Appeal in Drost overturned a lower-court ruling that had ordered the retailer Fennick to pay 340 former warehouse workers compensation for unpaid breaks."
LONGEST = "该桥全长72米，是全省最长的石拱桥。"
CLUBS = (
    "| Club | Won | Drawn | Lost | Coach |\n|---|---|---|---|---|\n| Ridgeport | 17 | 3 | 2 | M. Aldous |\n"
    "| Saint Elmer | 16 | 2 | 4 | K. Voss |\n| Tarn Valley | 14 | 4 | 4 | J. Ibarra |\n| Lowmoor | 13 | 1 | 8 | |\n"
    "| Eastgate | 10 | 6 | 6 | P. Nwosu |"
)
TRAMS = (
    "| Line | Length (km) | Stops | Daily riders (thousand) | Terminus |\n|---|---|---|---|---|\n"
    "| A | 14.2 | 27 | 88 | Airport |\n| B | 9.6 | 21 | 61 | Harbour |\n| C | 18.5 | 24 | 45 | Technopole |\n"
    "| D | 6.1 | 13 | | Old Hospital |"
)
TRIAL = "Mean monthly migraine days fell from 14.1 to 9.3 in the velotrine group and from 14.3 to 12.2 in the placebo group (p < 0.001)."
BIRDS = (
    "| 物种 | 2018年 | 2020年 | 2022年 |\n|---|---|---|---|\n| 白琵鹭 | 1,260 | 1,540 | 1,910 |\n"
    "| 豆雁 | 5,200 | 6,100 | 4,300 |"
)
CITIES = "| 城市 | 2023年 |\n|---|---|\n| 砚山 | -0.2% |\n| 栖凤 | 0.6% |"


@pytest.mark.parametrize(
    ("statement", "quotes"),
    [
        ("The council blames the closure and not the fare rise for the fall in use.", [FARES]),
        ("Fares rose in April 2023.", [FARES]),
        ("Fares covered 62 percent of the operating costs in 2022.", ["In 2022 the operating costs were 14 million euros, of which 62 percent were covered by fares."]),
        ("In 2022, 62 percent of the costs were covered by fares.", [COSTS]),
        ("The evidence supports this only in part.", ["The evidence partly supports the hypothesis."]),
        ("工程历时三年半。", [BRIDGE]),
        ("从开工到通车用了七年多。", [LINE]),
        ("开工、铺通和通车三个节点分别是2005年、2006年和2007年。", [STAGES]),
        ("两个方案都在2023年公布。", ["方案甲于2023年3月公布。方案乙于2023年8月公布。"]),
        ("甲站和乙站都在2019年启用。", ["甲站于2019年5月启用。乙站于2019年9月启用。"]),
        ("In 2018, 2020, 2022 and 2024 the line carried 2.10, 2.20, 1.60 and 2.35 million passengers.", [YEARLY]),
        ("All three lines carried more passengers in 2023 than in 2019.", [GREW]),
        ("In 2023 line B had the most passengers.", [ONE_FELL]),
        ("The type Z car has the fewest standing places.", ["The type X car has 40 seats and 90 standing places, the type Y car 32 seats and 110 standing places, and the type Z car 50 seats and 70 standing places."]),
        ("Herring landings lost 16.5 thousand tonnes between 2015 and 2023.", [SPECIES]),
        ("Herring and sprat together went from 50.7 to 29.1 thousand tonnes.", [SPECIES]),
        ("Jobs in catching across the four ports declined from 1,819 in 2015 to 1,449 in 2023, or by about one in five.", [JOBS]),
        ("It also obtains the best return per kilogram, €2.84, which is more than half as much again as Skelwick's €1.82.", [PRICES]),
        ("Tarnmouth added 26 jobs, an additional 13 of them by 2019.", [JOBS]),
        ("Adhesives revenue rose every year over the period, climbing from €87 million in 2020 to €143 million in 2023.", [REVENUE]),
        ("Taken together, the four divisions generated €724 million in 2023.", [REVENUE]),
        ("Restaurant closures coincided with a drop of around 20 % in the langoustine price in 2020.", ["The pandemic closed restaurants for much of 2020, and the price of langoustine fell by about a fifth that year."]),
        ("Osterholm profited from a €12.4 million cold store that opened in 2018 and lets boats keep their catch for the Monday auctions.", ["Osterholm benefited from a new cold store, opened in May 2018 at a cost of 12.4 million euros, which lets boats hold catch for the Monday auctions."]),
        ("The plant's 160 jobs correspond to about 70 % of the posts that disappeared between 2019 and 2023.", ["The harbour master pointed to the closure of the plant in October 2020, which had employed 160 people.", "Between 2019 and 2023, 229 posts disappeared in processing."]),
        ("平均每年发生214起事故。", [ACCIDENTS]),
        ("鲜带鱼的损耗从15%降到4%左右，每吨运费省下160元。", ["水产商人郑海生说,过去鲜带鱼运到临川要折损一成半,现在降到4%左右,运费每吨由420元降到260元。"]),
        ("公司打算用约八个月更换伸缩缝。", ["公司拟于2025年10月至2026年5月更换主桥伸缩缝,预算1.46亿元。"]),
        ("省、市、县三级财政共出资50亿元,余下约76.3亿元来自银行贷款。", ["竣工决算为126.3亿元,超出概算7.8亿元。", "按决算口径,省级财政出资30亿元,临川市与屿山县合计出资20亿元,其余为银行贷款。"]),
        ("2019年实际接待游客327万人次，超过了预计的300万人次。", ["县旅游局预计,2019年来岛游客将突破300万人次,比2018年的190万人次增长五成以上。", VISITORS]),
        ("The granary covered about 350 square metres.", [GRANARY]),
        ("The granary burned down in the fourteenth century BC.", [FIRE]),
        ("Quartz每秒可写入18万次。", [ENGINES]),
        ("The pump moves 300 litres a second.", [PUMP]),
        ("通报所统计的收运单数，大约覆盖了试点启动后的半年时间。", ["通报称，自2023年9月起试点的收运，截至2024年2月底共完成收运6420单。"]),
        ("钢材价格上涨占超支额的约六成。", [OVERRUN]),
        ("2015 | 112.1 | 421", [PORTS, TOTALS]),
        ("Every port except Skelwick and Harnby employed more people in processing in 2023 than in 2015.", [PROCESSING]),
        ("由于预约平台缩短了等待时间，投诉明显减少。", ["试点期间居民每单付费20元，低保家庭免费。副局长韩启明表示，投诉量由每月约150件降至不足60件，主要得益于预约平台缩短了等待时间。"]),
        ("Pensioners do not have to pay the 20 crowns for a trip.", [TRIPS]),
        ("Tarn 4.0的默认存储引擎从Slate改为Quartz。", [RELEASE]),
        ("没有一位个人选手夺冠。", [RACE]),
        ("The Court of Appeal in Drost threw out the ruling that Fennick had to pay the former workers.", [RULING]),
        ("这是省内最长的石拱桥。", [LONGEST]),
        ("Packaging revenue fell in 2023 after rising for two years.", [REVENUE]),
        ("Saint Elmer finished the season with more wins than Tarn Valley.", [CLUBS]),
        ("Although it is shorter, Line A has more stops than Line C.", [TRAMS]),
        ("In the placebo group, migraine days fell from 14.3 to 12.2.", [TRIAL]),
        ("Regions other than Frankfurt were not hit by the outage.", ["The outage lasted 47 minutes and affected only the Frankfurt region."]),
        ("尽管较2020年明显减少，豆雁在2022年仍是表中数量最多的鸟种。", [BIRDS]),
        ("就内存而言，旧的默认引擎Slate比Quartz更节省。", ["Quartz的写入吞吐量为每秒18万次，Slate为每秒12万次，但前者的内存占用高出约25%。"]),
    ],
)  # fmt: skip
def test_right_statements_pass(statement: str, quotes: list[str]) -> None:
    assert check_support(statement, quotes).failing == ""


@pytest.mark.parametrize(
    ("statement", "quotes", "failing"),
    [
        ("Costs covered 62 percent of the fares.", [COSTS], "roles"),
        ("2005年6月全线铺通。", [STAGES], "period"),
        ("工程历时四年半。", [BRIDGE], "numbers"),
        ("从开工到通车用了九年多。", [LINE], "numbers"),
        ("这是国内最早的跨海大桥。", ["该桥是一座跨海大桥，全长36公里，2008年通车。"], "superlative"),
        ("In 2018, 2020, 2022 and 2024 the line carried 2.20, 2.10, 1.60 and 2.35 million passengers.", [YEARLY], "period"),
        ("All three lines carried more passengers in 2023 than in 2019.", [ONE_FELL], "table"),
        ("Line B carried more passengers in 2023 than in 2019.", [ONE_FELL], "table"),
        ("Line B grew between 2019 and 2023.", [ONE_FELL], "table"),
        ("In 2023 line C had the most passengers.", [ONE_FELL], "table"),
        ("Herring landings lost 18.5 thousand tonnes between 2015 and 2023.", [SPECIES], "numbers"),
        ("Herring and sprat together went from 50.7 to 31.1 thousand tonnes.", [SPECIES], "numbers"),
        ("Jobs in catching across the four ports declined from 1,719 in 2015 to 1,449 in 2023.", [JOBS], "numbers"),
        ("Taken together, the four divisions generated €744 million in 2023.", [REVENUE], "numbers"),
        ("Adhesives revenue reached €143 thousand in 2023.", [REVENUE], "numbers"),
        ("平均每年发生314起事故。", [ACCIDENTS], "numbers"),
        ("The granary covered about 450 square metres.", [GRANARY], "numbers"),
        ("The granary burned down in the twelfth century BC.", [FIRE], "numbers"),
        ("Quartz的写入吞吐量为每分钟18万次。", [ENGINES], "unit"),
        ("The pump moves 300 litres per minute.", [PUMP], "unit"),
        ("The pump moves 300 litres a day.", ["The pump moves 300 litres per hour."], "unit"),
        ("The ferry carries 400 passengers a week.", ["The ferry carries 400 passengers each day."], "unit"),
        ("结构加固占超支额的约六成。", [OVERRUN], "roles"),
        ("2015 | 112.1 | 431", [PORTS, TOTALS], "numbers"),
        ("Every port except Skelwick employed more people in processing in 2023 than in 2015.", [PROCESSING], "table"),
        ("通车之所以推迟约半年,是因为7号墩所在海床有厚达38米的淤泥层。", ["2016年8月,受台风影响,栈桥局部损毁,施工中断47天。2018年12月26日全线通车,较原定的2018年6月推迟约半年。", "总工程师介绍,施工最难的是7号墩,所在海床有厚达38米的淤泥层。"], "cause"),
        ("低保家庭同样需要为每单收运支付20元。", ["试点期间居民每单付费20元，低保家庭免费。"], "negation"),
        ("Pensioners pay 20 crowns for each trip.", [TRIPS], "negation"),
        ("砚山2023年消费价格下降，是当地居民收入偏低、消费不足所致。", [CITIES], "cause"),
        ("在测试的23种培养基中，该菌在大多数培养基上都能生长。", ["在测试的23种培养基中，该菌只在4种含硫培养基上生长，在无硫条件下均未见生长。"], "scope"),
        ("The bacterium grew on most of the 23 media.", ["Of 23 media tested, the bacterium grew on only four."], "scope"),
        ("宋知微提醒说，只有一株菌，不宜据此重估生命的温度上限。", ["由宋知微领导的团队报告了结果。微生物学家巴特·林德评论说，这一结果令人兴奋，但只有一株菌，不宜据此重估生命的温度上限。"], "roles"),
        ("Tarn 4.0将默认存储引擎由Quartz换成了Slate。", [RELEASE], "roles"),
        ("The city switched from trams to buses in 1962.", ["In 1962 the city switched from buses to trams."], "roles"),
        ("Quartz的读取延迟明显低于Slate。", ["官方基准测试中，Quartz的写入吞吐量为每秒18万次，Slate为每秒12万次。在读取延迟方面，两种引擎没有明显差别。"], "opposite"),
        ("The new drug had fewer side effects than the old one.", ["Side effects were equally frequent with the new and the old drug."], "opposite"),
        ("The Court of Appeal in Drost upheld the ruling ordering Fennick to pay the former workers.", [RULING], "opposite"),
        ("The granary at Tell Marash is the largest known from the ancient world.", ["Excavations at Tell Marash uncovered the foundations of a granary, the largest yet found in the upper Zeyra valley."], "superlative"),
        ("这是全国最长的石拱桥。", [LONGEST], "superlative"),
        ("Packaging revenue grew again in 2023, exceeding the previous year's figure.", [REVENUE], "table"),
        ("Eastgate drew the fewest matches of the top five clubs.", [CLUBS], "table"),
        ("Tarn Valley finished the season with more wins than Saint Elmer.", [CLUBS], "table"),
        ("With its greater length, Line C also has more stops than Line A.", [TRAMS], "table"),
        ("The trial proves that velotrine works for patients who do not tolerate existing preventives.", ["The results suggest that velotrine may be an option for patients who do not tolerate existing preventives, but longer studies are needed."], "hedge"),
        ("Among patients on placebo, mean monthly migraine days fell from 14.1 to 9.3.", [TRIAL], "other"),
        ("A review carried out twelve months later confirmed the savings.", ["The director said the change would save about £1.2 million a year. A review is planned after twelve months."], "hedge"),
        ("墓葬普遍随葬玉器。", ["清理墓葬37座，其中29座墓随葬陶器，仅M14一座出土玉器。"], "scope"),
    ],
)  # fmt: skip
def test_wrong_statements_do_not(statement: str, quotes: list[str], failing: str) -> None:
    assert check_support(statement, quotes).failing == failing
