"""What a claim says of its subject, quotes must say of it; and words that they only deny or guess, they do not say."""

import pytest

from services.evidence.support import check_support

COURT = "The court of appeal overturned the sentence. Judge Ruiz wrote that the witness had no lawyer; Judge Abara dissented."
FISH = "岚水鲤体长可达60厘米，以水草为食；黑脊鲈较小，捕食小鱼和虾。"
METALS = "Unlike copper, aluminium forms an oxide layer. Copper, however, conducts electricity about 1.6 times as well."
DAM = (
    "The dam supplies Castleby with water; it has never produced electricity. The council is considering a second wall."
)
TELESCOPE = "The Aurora found its first planet in 2014, two years after it began work."
SHIP = "The survey ship Corvo crossed the Norland Sea in 1925. The lifeboat Freja stayed near it. The ship took 67,400 echo soundings."
CAVE = "The cave is 340 metres long, twice as long as the tunnel."


@pytest.mark.parametrize(
    ("claim", "quote", "failing"),
    [
        ("Judge Abara wrote that the witness had no lawyer.", COURT, "roles"),
        ("Aluminium conducts electricity about 1.6 times as well as copper.", METALS, "roles"),
        ("黑脊鲈以水草为食，岚水鲤捕食小鱼和虾。", FISH, "roles"),
        ("The dam produces electricity for Castleby.", DAM, "negation"),
        ("The council has a second wall.", DAM, "hedge"),
        ("The court of appeal did not overturn the sentence.", COURT, "denied"),
        ("The Freja took 67,400 echo soundings in the Norland Sea.", SHIP, "roles"),
    ],
)
def test_what_quotes_say_of_another_or_not_at_all_fails(claim: str, quote: str, failing: str) -> None:
    assert check_support(claim, [quote]).failing == failing


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Judge Ruiz wrote that the witness had no lawyer.", COURT),
        ("Copper conducts electricity about 1.6 times as well as aluminium.", METALS),
        ("岚水鲤以水草为食，黑脊鲈捕食小鱼和虾。", FISH),
        ("Water for Castleby is supplied by the dam.", DAM),
        ("The council is thinking about a second wall.", DAM),
        ("The Aurora began work in 2012.", TELESCOPE),
        ("The tunnel is 170 metres long.", CAVE),
        ("The Corvo took 67,400 echo soundings in the Norland Sea.", SHIP),
        ("Most of the coast was not searched by the ship.", "The ship searched 8 percent of the coast."),
    ],
)
def test_what_quotes_say_of_the_claim_s_subject_passes(claim: str, quote: str) -> None:
    assert check_support(claim, [quote]).failing == ""


def test_what_a_quote_only_denies_leaves_a_sentence_unverified_rather_than_refuted() -> None:
    assert not check_support("The dam produces electricity for Castleby.", [DAM]).refutes
