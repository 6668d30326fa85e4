"""Areas in ordinary sentences: what is read, and what is not."""

import pytest
from telling import OPERATORS, Told, told, under

READ: list[tuple[str, tuple[str, ...], Told]] = [
    (
        "Lesotho is completely surrounded by South Africa.",
        ("Lesotho", "South Africa"),
        {
            (
                "Lesotho",
                "inside at the edge of|inside away from the edge of|touches from outside",
                "South Africa",
            )
        },
    ),
    (
        "The lake lies entirely within the national park.",
        ("lake", "national park"),
        {("lake", "inside at the edge of|inside away from the edge of", "national park")},
    ),
    (
        "France shares borders with Spain, Italy and Belgium.",
        ("France", "Spain", "Italy", "Belgium"),
        {
            ("France", "touches from outside", "Belgium"),
            ("France", "touches from outside", "Italy"),
            ("France", "touches from outside", "Spain"),
        },
    ),
    (
        "The meadow borders the forest to the north.",
        ("meadow", "forest"),
        {("meadow", "touches from outside", "forest")},
    ),
    (
        "Zone A and Zone B do not overlap.",
        ("Zone A", "Zone B"),
        {("Zone A", "disconnected from|touches from outside", "Zone B")},
    ),
    (
        "The old town is part of the city.",
        ("old town", "city"),
        {("old town", "inside at the edge of|inside away from the edge of", "city")},
    ),
    (
        "The nature reserve partly overlaps the military zone.",
        ("nature reserve", "military zone"),
        {("nature reserve", "partly overlaps", "military zone")},
    ),
    (
        "Plot 7 lies outside the district.",
        ("Plot 7", "district"),
        {("Plot 7", "disconnected from|touches from outside", "district")},
    ),
    (
        "The district includes the whole of the harbour.",
        ("district", "harbour"),
        {("district", "contains at the edge|contains away from the edge", "harbour")},
    ),
    (
        "The two parishes, Alton and Burley, share a boundary.",
        ("Alton", "Burley"),
        {("Alton", "touches from outside", "Burley")},
    ),
    (
        "The wetland straddles the border between Alton and Burley.",
        ("wetland", "Alton", "Burley"),
        {("wetland", "partly overlaps", "Alton"), ("wetland", "partly overlaps", "Burley")},
    ),
    (
        "Sector 3 and Sector 4 occupy exactly the same area.",
        ("Sector 3", "Sector 4"),
        {("Sector 3", "coincides with", "Sector 4")},
    ),
    (
        "The clearing lies deep inside the forest, nowhere near its edge.",
        ("clearing", "forest"),
        {("clearing", "inside away from the edge of", "forest")},
    ),
    (
        "Poland, which borders Germany, joined in 2004.",
        ("Poland", "Germany"),
        {("Poland", "touches from outside", "Germany")},
    ),
    (
        "Monaco borders only France.",
        ("Monaco", "France"),
        {("Monaco", "touches from outside", "France")},
    ),
    (
        "The orchard adjoins the vineyard.",
        ("orchard", "vineyard"),
        {("orchard", "touches from outside", "vineyard")},
    ),
    (
        "San Marino is an enclave within Italy.",
        ("San Marino", "Italy"),
        {
            (
                "San Marino",
                "inside at the edge of|inside away from the edge of|touches from outside",
                "Italy",
            )
        },
    ),
    (
        "The marsh does not touch the reserve at any point.",
        ("marsh", "reserve"),
        {
            (
                "marsh",
                "contains away from the edge|disconnected from|inside away from the edge of",
                "reserve",
            )
        },
    ),
    (
        "The field extends into the parish.",
        ("field", "parish"),
        {("field", "contains at the edge|contains away from the edge|partly overlaps", "parish")},
    ),
    (
        "The beach is completely inside the bay area, right at its edge.",
        ("beach", "bay area"),
        {("beach", "inside at the edge of", "bay area")},
    ),
    (
        "Parcel 3 touches Parcel 4, but the two have no land in common.",
        ("Parcel 3", "Parcel 4"),
        {
            (
                "Parcel 3",
                "coincides with|contains at the edge|inside at the edge of|partly overlaps|touches from outside",
                "Parcel 4",
            ),
            ("Parcel 3", "touches from outside", "Parcel 4"),
        },
    ),
    (
        "Both the mill and the pond lie within the estate.",
        ("mill", "pond", "estate"),
        {
            ("mill", "inside at the edge of|inside away from the edge of", "estate"),
            ("pond", "inside at the edge of|inside away from the edge of", "estate"),
        },
    ),
    (
        "Switzerland is bordered by Austria and Italy.",
        ("Switzerland", "Austria", "Italy"),
        {
            ("Switzerland", "touches from outside", "Austria"),
            ("Switzerland", "touches from outside", "Italy"),
        },
    ),
    (
        "Inside the park lies the zoo.",
        ("park", "zoo"),
        {("zoo", "inside at the edge of|inside away from the edge of", "park")},
    ),
    (
        "Laos and Vietnam border each other.",
        ("Laos", "Vietnam"),
        {("Laos", "touches from outside", "Vietnam")},
    ),
    (
        "The gallery is located in the museum quarter.",
        ("gallery", "museum quarter"),
        {("gallery", "inside at the edge of|inside away from the edge of", "museum quarter")},
    ),
    (
        "The hamlet is wholly within Ashby parish, but nowhere touches its boundary.",
        ("hamlet", "Ashby parish"),
        {("hamlet", "inside away from the edge of", "Ashby parish")},
    ),
    (
        "Ruritania borders Graustark and lies within Europa.",
        ("Ruritania", "Graustark", "Europa"),
        {
            ("Ruritania", "inside at the edge of|inside away from the edge of", "Europa"),
            ("Ruritania", "touches from outside", "Graustark"),
        },
    ),
    (
        "The park, not the zoo, lies in the estate.",
        ("park", "zoo", "estate"),
        {("park", "inside at the edge of|inside away from the edge of", "estate")},
    ),
    (
        "Bolivia borders Peru to the west.",
        ("Bolivia", "Peru"),
        {("Bolivia", "touches from outside", "Peru")},
    ),
    (
        "The old quarter lies wholly inside the city walls.",
        ("old quarter", "city walls"),
        {("old quarter", "inside at the edge of|inside away from the edge of", "city walls")},
    ),
    (
        "Plot A and plot B have a common border.",
        ("Plot A", "plot B"),
        {("Plot A", "touches from outside", "plot B")},
    ),
    (
        "The military base overlaps partly with the nature park.",
        ("military base", "nature park"),
        {("military base", "partly overlaps", "nature park")},
    ),
    (
        "The moor is adjacent to the forest.",
        ("moor", "forest"),
        {("moor", "touches from outside", "forest")},
    ),
    (
        "Slovenia, Croatia and Hungary all border Austria.",
        ("Slovenia", "Croatia", "Hungary", "Austria"),
        {
            ("Croatia", "touches from outside", "Austria"),
            ("Hungary", "touches from outside", "Austria"),
            ("Slovenia", "touches from outside", "Austria"),
        },
    ),
    (
        "The garden lies outside the wall district but borders on it.",
        ("garden", "wall district"),
        {
            ("garden", "disconnected from|touches from outside", "wall district"),
            ("garden", "touches from outside", "wall district"),
        },
    ),
    (
        "The pasture and the wood do not touch or overlap.",
        ("pasture", "wood"),
        {("pasture", "disconnected from", "wood")},
    ),
]

# Sentences that a shallow reader falls for.
TRAPS = [
    (
        "The campus and the village are separate areas with a field between them.",
        ("campus", "village"),
    ),
    (
        "The garden is inside the castle grounds, touching the outer wall.",
        ("garden", "castle grounds"),
    ),
    ("The county contains three towns, among them Alton.", ("county", "Alton")),
    ("Chile has no border with Brazil.", ("Chile", "Brazil")),
    ("The dukedom was once part of the kingdom.", ("dukedom", "kingdom")),
    ("Peru and Chile are neighbours.", ("Peru", "Chile")),
    ("The block is within walking distance of the park.", ("block", "park")),
    ("The new district is to be created inside the county.", ("district", "county")),
    ("The plaza is next to the palace.", ("plaza", "palace")),
    ("The forest completely covers the hill.", ("forest", "hill")),
    ("None of the zoo lies inside the park.", ("zoo", "park")),
    (
        "The estate encloses the chapel, which stands well away from its boundary.",
        ("estate", "chapel"),
    ),
    ("Zone A is within reach of Zone B.", ("Zone A", "Zone B")),
    ("Kenya's neighbour borders Chad.", ("Kenya", "Chad")),
    ("The capital of Kenya lies within Chad.", ("Kenya", "Chad")),
    ("Half of Kenya lies inside Chad.", ("Kenya", "Chad")),
    ("Part of the park lies within the estate.", ("park", "estate")),
    ("The park is inside information at the estate.", ("park", "estate")),
    ("The behaviour of Kenya borders on Chad.", ("Kenya", "Chad")),
    ("Kenya is in talks with Chad.", ("Kenya", "Chad")),
    ("Kenya is in Chad's debt.", ("Kenya", "Chad")),
    ("The park is outside of the control of the estate.", ("park", "estate")),
    ("The park contains animals from the estate.", ("park", "estate")),
    ("The park overlaps in time with the estate.", ("park", "estate")),
    ("The park was part of the estate until 1950.", ("park", "estate")),
    ("The park belongs to the estate.", ("park", "estate")),
    ("The park touches the heart of the estate.", ("park", "estate")),
    ("Kenya shares a border dispute with Chad.", ("Kenya", "Chad")),
    ("Kenya shares a language with Chad.", ("Kenya", "Chad")),
    ("The interests of Kenya and Chad overlap.", ("Kenya", "Chad")),
    ("The park covers the costs of the estate.", ("park", "estate")),
    ("The park is part of the problem for the estate.", ("park", "estate")),
    ("Nothing in the park lies within the estate.", ("park", "estate")),
    ("Kenya closed its border with Chad.", ("Kenya", "Chad")),
    ("Most of the park lies within the estate.", ("park", "estate")),
    ("The park is all but surrounded by the estate.", ("park", "estate")),
    ("The two plots share a common boundary.", ("plots",)),
    ("The island is not part of the county.", ("island", "county")),
    ("The park is bounded by the river district on the north.", ("park", "river district")),
]

# To be put under every operator.
PLAIN = [
    "Kenya borders Chad",
    "the park lies within the estate",
    "Kenya and Chad share a border",
    "the park overlaps the estate",
    "the park contains the estate",
    "the park does not touch the estate",
]


@pytest.mark.parametrize(("text", "names", "facts"), READ)
def test_ordinary_sentences_are_read(text: str, names: tuple[str, ...], facts: Told) -> None:
    assert told(text, "regions", names) == facts


@pytest.mark.parametrize(("text", "names"), TRAPS)
def test_traps_state_nothing(text: str, names: tuple[str, ...]) -> None:
    assert not told(text, "regions", names)


@pytest.mark.parametrize("sentence", PLAIN)
def test_an_operator_takes_an_assertion_away(sentence: str) -> None:
    assert told(under("{S}.", sentence), "regions")
    for operator in OPERATORS:
        assert not told(under(operator, sentence), "regions"), operator
