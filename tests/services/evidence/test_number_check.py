"""Numbers that quotes give in other forms, or that follow from theirs, are not missing; others are."""

import pytest

from services.evidence.number_check import missing_numbers
from services.evidence.readings import read

TRIAL = "Of 150 growers asked, 49 had lost bees. The survey began in 2012, three years after the mite arrived."
BRIDGE = "The bridge took 95 minutes to cross on foot in 1931. It cost 84 million crowns, of which the state paid 31 million."
SHARES = "In 2010 the share of homes with solar heating was 27.9 percent; in 2018 it was 31.4 percent."
ROUTES = "| Line | Length (km) | Riders (thousand) |\n|---|---|---|\n| North | 12.4 | 310 |\n| South | 9.9 | 275 |\n| Harbour | 4.2 | 120 |"
FIRE = "4月2日起火，4月5日扑灭。施工历时18个月，噪声类投诉占四成。"
LINES = "| 线路 | 2021年客流（人次） | 2023年客流（人次） | 长度（公里） |\n|---|---|---|---|\n| 2路 | 6100 | 7500 | 23.1 |\n| 8路 | 8700 | 8200 | 19.6 |"
CARGO = "The ship carried 52,000 tonnes of wheat from Constanta to Casablanca. It ran aground off the port in January, and all of its crew of 22 were unhurt, while the owner disputed the cause; 8,000 tonnes were moved to a barge."
SCHEME = "The scheme will cost £3.2 million, of which £1.9m come from a grant. In June it was 16.1 °C, 1.4 °C below the average."
FLEET = "合同共六艘船，总价10.8亿美元；衬砌厚43.6厘米，设计值为45厘米。首次会议于2022年9月28日举行。"
PROFIT = "| Division | Revenue 2022 (£m) | Revenue 2023 (£m) |\n|---|---|---|\n| Tools | 407.0 | 445.0 |"
RIVER = "该河全长34.8公里，设站19座，其中地下站11座；2020年客流量为1720万人次，比上年增加310万人次。"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("About a third of the growers had lost bees.", TRIAL),
        ("Output shrank by 35 million.", PROFIT.replace("445.0", "372.0")),
        (
            "The mill is 12 years younger than the kiln.",
            "| Works | Built |\n|---|---|\n| Kiln | 1881 |\n| Mill | 1893 |",
        ),
        ("The crews left 7,000 tonnes on the quay.", "They loaded 18,000 of 25,000 tonnes."),
        ("At the end of May 2021 sales were higher.", "In 2021 sales rose. At the end of May they were higher."),
        (
            "The ship sailed for 29 years.",
            "| Ship | Launched | Fate |\n|---|---|---|\n| Silvane | 1922 | scrapped 1951 |",
        ),
        ("腊肉要熏一个半月左右。", "腊肉熏四十五天左右。"),
        ("起火前三个月左右就该换了。", "12月2日起火。9月的自查已把它列为待更换设备。"),
        ("石榴Mini的售价不到四万元。", "| 车型 | 售价（万元） |\n|---|---|\n| 石榴Mini | 3.79 |"),
        ("投资为2亿3500万元，粮食重90斤。", "投资2.35亿元，粮食重45公斤。"),
        ("“青谷12”种植面积为4公顷。", "“青谷12”种了4公顷。"),
        ("2022年发电120亿度。", "| 年份 | 发电量（亿千瓦时） |\n|---|---|\n| 2022 | 120 |"),
        ("Some 15% of the wheat was moved to a barge.", CARGO),
        ("The rest, £1.3m, is the city's.", SCHEME),
        ("On average June has 17.5 °C.", SCHEME),
        ("平均每艘船的造价为1.8亿美元。", FLEET),
        ("实测厚度比设计值薄1.4厘米。", FLEET),
        ("首次会议于2022年9月举行。", FLEET),
        ("Revenue of tools grew by £38 million.", PROFIT),
        ("One in three growers had lost bees.", TRIAL),
        ("101 of the growers had not lost any.", TRIAL),
        ("The mite arrived in 2009.", TRIAL),
        ("Crossing took an hour and 35 minutes.", BRIDGE),
        ("The state paid 31 of the 84 million crowns.", BRIDGE),
        ("Crossing took more than an hour and a half.", BRIDGE),
        ("The share rose by 3.5 percentage points in eight years.", SHARES),
        ("More than a quarter of the homes had it by 2010.", SHARES),
        ("The share grew by 12.5 percent.", SHARES.replace(" percent", " units")),
        ("The northern line is 2.5 kilometres longer than the southern.", ROUTES),
        ("The three lines have a total length of 26.5 kilometres.", ROUTES),
        ("The harbour line has 120,000 riders.", ROUTES),
        ("North · 12.4 · 310.", ROUTES),
        ("Of the three lines, the northern is the longest.", ROUTES),
        ("The two shares were not far apart.", SHARES),
        ("全线有8座车站不是地下站。", RIVER),
        ("上一年的客流量为1410万人次。", RIVER),
        ("该河长34800米。", RIVER),
        ("Crossing took over an hour and a half.", BRIDGE),
        ("The share rose within eight years.", SHARES),
        ("施工历时一年半。", FIRE),
        ("大火烧了三天。", FIRE),
        ("噪声占40%。", FIRE),
        ("2路增加了1400人次。", LINES),
        ("The fire lasted eight days.", "It broke out on 3 August and was under control on 11 August."),
        ("On weekdays it is open for eight and a half hours.", "It is open from 9:30 to 18:00 on weekdays."),
        ("The concert lasted two hours.", "The concert began at 8 pm and ended at 10 pm."),
        ("会议开了三个半小时。", "会议从下午2点开到5点半。"),
        ("She died in 1994.", "Born in March 1931, she died aged 63."),
        ("The accident happened in November 1960.", "The mine closed in May 1962, eighteen months after the accident."),
        ("工程于2017年9月完工。", "工程于2015年3月开工，历时30个月。"),
        ("Altogether the sessions came to six hours.", "Each of the eight sessions lasted 45 minutes."),
        ("The daily dose was 60 mg.", "Patients received 20 mg three times a day."),
        ("38 members abstained.", "Of the 350 members, 214 voted for it and 98 against; the rest abstained."),
        ("Domestic sales came to 28 million.", "Sales were 40 million, of which 12 million came from exports."),
        ("The town grew by 30 percent.", "In 2010 the town had 40,000 inhabitants, in 2020 it had 52,000."),
        ("Men are 42 percent of the staff.", "Women make up 58 percent of the staff."),
        ("The dyke is 3.5 metres high.", "The river rose to 4.2 metres, 70 centimetres above the dyke."),
        ("省里承担6亿元。", "总投资9亿元，省里承担三分之二。"),
        ("去年收入80万元。", "今年收入120万元，是去年的1.5倍。"),
        ("Two years of the sentence remained.", "Sentenced to six years, she had served four."),
        ("The ferry takes 75 minutes.", "The ferry takes 1 hour 15 minutes."),
        ("渡轮需75分钟。", "渡轮需1小时15分。"),
        ("每人分得200元。", "600元由三人平分。"),
        ("They traded for more than thirty years.", "They opened in 1950 and closed in 1984."),
        ("该厂开了不到五年。", "该厂1960年开工，1964年停产。"),
        ("The mill stood for half a century.", "The mill was built in 1914 and pulled down in 1964."),
        ("The strike lasted 24 days.", "The strike began on 12 March 2023 and ended on 5 April."),
        ("The strike ended on 15 March 2023.", "The strike began on 12 March 2023 and ended three days later."),
        ("The mill was closed in 1974.", "The mill opened in 1964 and was closed a decade later."),
        ("She was born in 1931.", "She died in 1994 at the age of 63."),
        ("Fewer than half of the members voted.", "Of the 120 members 43 voted."),
        ("桥长100米以上。", "桥长120米。"),
        ("两星相距0.04天文单位，即600万千米左右。", "两星相距600万千米（0.041天文单位）。"),
        ("1990年代，该厂已经开工。", "该厂1992年开工。"),
    ],
)
def test_a_number_that_follows_from_the_quotes_is_not_missing(claim: str, quote: str) -> None:
    assert missing_numbers(read(claim), [read(quote)]) == []


@pytest.mark.parametrize(
    ("claim", "quote", "missing"),
    [
        ("Half of the growers had lost bees.", TRIAL, ["Half"]),
        ("The mite arrived in 2007.", TRIAL, ["2007"]),
        ("Crossing took an hour and 50 minutes.", BRIDGE, ["an hour and 50 minutes"]),
        ("The share rose by 3.5 percent.", SHARES, ["3.5 percent"]),
        ("Nearly half of the homes had it by 2018.", SHARES, ["half"]),
        ("The harbour line has 120 riders.", ROUTES, ["120"]),
        (
            "Rain at Tavy rose by 483 mm.",
            "| Station | 2022 (mm) | 2023 (mm) |\n|---|---|---|\n| Tavy | 1051 | 1498 |\n| Lyd | 1104 | 1587 |",
            ["483"],
        ),
        ("The northern line is 3.1 kilometres longer than the southern.", ROUTES, ["3.1"]),
        ("2020年客流量为1.72亿人次。", RIVER, ["1.72亿"]),
        ("Crossing took half an hour.", BRIDGE, ["half an hour"]),
        ("施工历时两年半。", FIRE, ["两年半"]),
        ("大火烧了四天。", FIRE, ["四"]),
        ("噪声占30%。", FIRE, ["30%"]),
        ("6路全长23公里。", LINES, ["6"]),
        ("The bar is open for 14 hours.", "The bar is open 12 hours a day.", ["14"]),
        (
            "The strike ended on 16 March 2023.",
            "It began on 12 March 2023 and ended three days later.",
            ["16 March 2023"],
        ),
        ("They traded for more than forty years.", "They opened in 1950 and closed in 1984.", ["forty"]),
        ("They traded for 34 weeks.", "They opened in 1950 and closed in 1984.", ["34"]),
    ],
)
def test_a_number_that_does_not_follow_is_named(claim: str, quote: str, missing: list[str]) -> None:
    assert missing_numbers(read(claim), [read(quote)]) == missing
