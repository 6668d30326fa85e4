"""Books: one large scene told in many articles, and questions that hop through it.

    vocabulary.py   what a book can speak of: sorts of entities, links, words for relatives, comparisons (book.yaml)
    config.py       what is asked for
    names.py        a name for every entity
    families.py     families, generation by generation
    scene.py        everything that is so in a book, and what of it is told where
    sentences.py    statements in words; articles.py: articles
    plans.py        what a question asks, as data and in words
    execute.py      plans on the indices of a scene, with evidence; draw.py: questions
    reading.py      articles back to statements
    prove.py        plans on statements alone, with proofs; scenes.py: that an answer is open
    folder.py       books as folders; book.py: `clutrr.book`

What proves (reading, prove, scenes) shares nothing with what draws (families, scene, execute, draw) but the vocabulary and
the plans: their agreement is evidence.
"""
