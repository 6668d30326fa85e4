"""Small files of every format that is read, in wording of our own, for tests to use and to break."""

import json

V01 = (
    "# a comment\n# k 2\nstory,summary\r\n"
    "[Bea] is [Ann]'s daughter. [Ann] works at [Acme]. [Carl] is a brother of [Bea].,"
    "[Carl] is [Ann]'s son.\r\n"
    '"[Dan] is the husband of [Eva]. [Dan] has a son called [Finn].",[Finn] is a son of [Eva].\r\n'
)
_V1_HEADER = (
    ",id,story,query,text_query,target,text_target,clean_story,proof_state,f_comb,task_name,story_edges,"
    "edge_types,query_edge,genders,syn_story,node_mapping,task_split\n"
)
V1 = _V1_HEADER + (
    "0,one,\"[Ann] baked with her aunt [Bea]. [Bea] has a son, [Carl].\",\"('Ann', 'Carl')\",,nephew,"
    '"[\'[Carl] is here.\']",,[],aunt-son,task_1.2,"[(0, 1), (1, 2)]","[\'aunt\', \'son\']","(0, 2)",'
    '"Ann:female,Bea:female,Carl:male",,{},train\n'
    '1,two,"[Ann] and her son [Dan] sang. [Dan] met his brother [Eli]. [Finn] wrote to his sister [Ann].",'
    "\"('Ann', 'Eli')\",,son,[],,[],son-brother,task_3.2,\"[(0, 1), (1, 2), (0, 3)]\",\"['son', 'brother']\","
    '"(0, 2)","Ann:female,Dan:male,Eli:male,Finn:male",,{},test\n'
)
HUB = (
    ",id,story,query,target,target_text,clean_story,proof_state,f_comb,task_name,story_edges,edge_types,"
    "query_edge,genders,task_split\n"
    "0,one,[Ann] has a son called [Bob]. [Bob] met his sister [Cia].,\"('Ann', 'Cia')\",16,daughter,,[],,"
    'task_1.2,"[(0, 1), (1, 2)]","[\'son\', \'sister\']","(0, 2)","Ann:female,Bob:male,Cia:female",test\n'
)
V13 = (
    json.dumps(
        {
            "edges": [[0, 1, "inv-un"], [1, 2, "child"], [3, 0, "un"]],
            "query": [0, 2],
            "resolution_path": [0, 1, 2],
            "target_gender": "neice",
            "gender_map": {"0": "female", "1": "male", "2": "female", "3": "male"},
            "name_map": {"0": "Ann", "1": "Bob", "2": "Cia", "3": "Dan"},
            "named_edges": [
                ["Ann", "Bob", "uncle"],
                ["Bob", "Cia", "daughter"],
                ["Dan", "Ann", "neice"],
            ],
            "text_story": "[Bob] is [Ann]'s uncle. [Bob] has a daughter called [Cia]. [Ann] visits [Dan]. ",
        }
    )
    + "\n"
)
OWN = {
    "id": "M1-test-000000000",
    "story": "[Ann] has a son, [Bob].",
    "abstract": "[Bob] is [Ann]'s son.",
    "query": ["Ann", "Bob"],
    "target": "son",
    "k": 1,
    "pattern": ["child"],
    "facts": [["Ann", "son", "Bob"]],
    "entities": [{"name": "Ann", "form": "female"}, {"name": "Bob", "form": "male"}],
    "scene": "f",
}
JSONL = json.dumps(OWN) + "\n"
CSV = (
    ",".join(OWN)
    + "\n"
    + ",".join(
        '"' + (value if isinstance(value, str) else json.dumps(value)).replace('"', '""') + '"'
        for value in OWN.values()
    )
    + "\n"
)
TEXTS = {"v0.1": V01, "v1.0": V1, "v1.0-hub": HUB, "v1.3": V13, "jsonl": JSONL, "csv": CSV}
