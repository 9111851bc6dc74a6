"""What careful writers work out of figures: rounded, as shares, changes, rests, rates, times and counts."""

import pytest

from services.evidence.support import check_support

MUSEUM = "In 2022 the museum had 84,300 visitors, of whom 21,075 came from abroad. In 2019 it had had 112,400."
TUNNEL = "The tunnel is 12.4 km long and cost 1.86 billion crowns. Work started in March 2011 and the tunnel opened on 9 September 2018. It shortens the journey from 95 to 38 minutes."
METERS = "Of the 48 households surveyed, 36 had a water meter and 9 had none; three did not answer."
MAYOR = "Mayor Anna Velt, born in 1968, was first elected in 2008 and re-elected in 2012, 2016 and 2020."
DOSE = "The dose was 2.5 mg twice a day for 14 days. Of 120 patients 18 stopped early."
RESERVOIR = "The reservoir holds 340,000 cubic metres when full; on 1 August it held 119,000."
FARM = "The farm covers 250 hectares, of which 100 are woodland. It employs 12 people full-time and 7 part-time and produced 900 tonnes of grain in 2021, against 750 tonnes in 2020."
TRAIN = "The train left at 8:15 and arrived at 11:45. The ticket cost 42 euros, 6 euros more than in May."
CASTLE = "The castle was built between 1387 and 1402 and destroyed in 1648."
ELECTION = (
    "In 2020 the party won 31.2 percent of the vote, in 2024 27.9 percent; turnout rose from 64.8 to 69.3 percent."
)
BUSES = "2023年该市共有公共汽车1260辆，其中电动车945辆；2019年电动车只有315辆。"
WORKS = "工程于2016年4月动工，2020年10月完工，历时四年半，总投资36亿元，比预算多6亿元。"
EXHIBITION = "展览共展出文物380件，其中一级文物57件，首次公开的有114件。门票60元，学生半价。"
COUNTY = "该县人口由2010年的52.4万人减少到2020年的46.1万人，其中60岁以上的占27%。"


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("A quarter of the visitors in 2022 came from abroad.", MUSEUM),
        ("One visitor in four came from abroad in 2022.", MUSEUM),
        ("Some 63,000 visitors in 2022 were from the country itself.", MUSEUM),
        ("Visitor numbers in 2022 were a quarter below those of 2019.", MUSEUM),
        ("In 2022 the museum had around 28,000 fewer visitors than in 2019.", MUSEUM),
        ("Visitor numbers fell by 25 percent between 2019 and 2022.", MUSEUM),
        ("In 2022 the museum attracted just over 84,000 people.", MUSEUM),
        ("In 2019 more than 110,000 people visited the museum.", MUSEUM),
        ("Three quarters of the visitors in 2022 were domestic.", MUSEUM),
        ("The museum welcomed roughly 7,000 visitors a month in 2022.", MUSEUM),
        ("The tunnel is 12,400 metres long.", TUNNEL),
        ("Each kilometre of the tunnel cost 150 million crowns.", TUNNEL),
        ("The journey is 57 minutes shorter than before.", TUNNEL),
        ("The journey takes less than half as long as before.", TUNNEL),
        ("The tunnel opened in the autumn of 2018.", TUNNEL),
        ("The tunnel cost nearly 1.9 billion crowns.", TUNNEL),
        ("The journey now takes under 40 minutes.", TUNNEL),
        ("The tunnel cost 1,860 million crowns.", TUNNEL),
        ("The tunnel was opened in late summer 2018, in September.", TUNNEL),
        ("Three in four households had a water meter.", METERS),
        ("75 percent of the households had a meter.", METERS),
        ("Four times as many households had a meter as had none.", METERS),
        ("Three households gave no answer.", METERS),
        ("All but twelve households said that they had a meter.", METERS),
        ("Forty-five of the 48 households answered.", METERS),
        ("Velt was 40 when she was first elected.", MAYOR),
        ("She has been elected four times.", MAYOR),
        ("Velt has won four elections.", MAYOR),
        ("She was re-elected three times.", MAYOR),
        ("She won again twelve years after her first election.", MAYOR),
        ("Patients took 5 mg a day.", DOSE),
        ("Fifteen percent of the patients stopped early.", DOSE),
        ("102 patients completed the course.", DOSE),
        ("More than one in ten patients stopped early.", DOSE),
        ("On 1 August the reservoir was 35 percent full.", RESERVOIR),
        ("On 1 August it was only about a third full.", RESERVOIR),
        ("The reservoir lacked 221,000 cubic metres on 1 August.", RESERVOIR),
        ("The farm covers 2.5 square kilometres.", FARM),
        ("Two fifths of the farm is woodland.", FARM),
        ("The farm has a staff of 19.", FARM),
        ("Grain production rose by a fifth in 2021.", FARM),
        ("It produced 150 tonnes more grain in 2021 than in the year before.", FARM),
        ("The farm employs a dozen people full-time.", FARM),
        ("Forty percent of the land is wooded.", FARM),
        ("150 hectares are not woodland.", FARM),
        ("In May the ticket had cost 36 euros.", TRAIN),
        ("The train arrived before noon.", TRAIN),
        ("The ticket price had gone up by a sixth since May.", TRAIN),
        ("The castle was built in fifteen years.", CASTLE),
        ("The castle stood for nearly two and a half centuries.", CASTLE),
        ("The castle dates from the late fourteenth century.", CASTLE),
        ("It was destroyed in the middle of the seventeenth century.", CASTLE),
        ("It was destroyed 246 years after its completion.", CASTLE),
        ("The party lost 3.3 percentage points.", ELECTION),
        ("The party lost more than three points.", ELECTION),
        ("Turnout was 4.5 points higher in 2024.", ELECTION),
        ("In 2024 almost seven in ten voters took part.", ELECTION),
        ("The party's share fell below 30 percent.", ELECTION),
        ("Fewer than a third of voters chose the party in either election.", ELECTION),
        ("2023年电动车占公共汽车总数的四分之三。", BUSES),
        ("2023年电动车比2019年多630辆。", BUSES),
        ("四年间电动车增加到原来的三倍。", BUSES),
        ("2023年电动车占75%。", BUSES),
        ("电动公共汽车的数量四年增长了两倍。", BUSES),
        ("该市公共汽车约有1300辆。", BUSES),
        ("预算为30亿元。", WORKS),
        ("实际投资超出预算五分之一。", WORKS),
        ("工程超支20%。", WORKS),
        ("工程历时54个月。", WORKS),
        ("工程用了不到五年。", WORKS),
        ("工程于2020年秋天完工。", WORKS),
        ("一级文物占展品的15%。", EXHIBITION),
        ("学生票30元。", EXHIBITION),
        ("三成展品是首次公开。", EXHIBITION),
        ("展品接近400件。", EXHIBITION),
        ("十年间人口减少了6.3万人。", COUNTY),
        ("人口下降了约12%。", COUNTY),
        ("2020年60岁以上人口约为12.4万人。", COUNTY),
        ("超过四分之一的人口在60岁以上。", COUNTY),
        ("2020年全县人口不足50万。", COUNTY),
        ("2020年该县有46万多人。", COUNTY),
        ("Half a dozen boats took part.", "Six boats took part in the race."),
        ("About a quarter of a million people came.", "250,300 people came to the festival."),
    ],
)  # fmt: skip
def test_results_that_hold_pass(statement: str, quote: str) -> None:
    assert check_support(statement, [quote]).failing == ""


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("A third of the visitors in 2022 came from abroad.", MUSEUM),
        ("Visitor numbers fell by 35 percent between 2019 and 2022.", MUSEUM),
        ("The journey is 47 minutes shorter than before.", TUNNEL),
        ("Each kilometre of the tunnel cost 180 million crowns.", TUNNEL),
        ("She has been elected seven times.", MAYOR),
        ("Patients took 8 mg a day.", DOSE),
        ("On 1 August the reservoir was 45 percent full.", RESERVOIR),
        ("The farm has a staff of 23.", FARM),
        ("In May the ticket had cost 32 euros.", TRAIN),
        ("The castle was built in nine years.", CASTLE),
        ("The party lost 4.3 percentage points.", ELECTION),
        ("预算为32亿元。", WORKS),
        ("工程超支30%。", WORKS),
        ("学生票40元。", EXHIBITION),
        ("人口下降了约18%。", COUNTY),
    ],
)
def test_results_that_do_not_hold_are_refused(statement: str, quote: str) -> None:
    assert check_support(statement, [quote]).failing == "numbers"
