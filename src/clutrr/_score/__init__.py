"""Answers to the questions of a data set, read, scored and rewarded.

answers      the answer that a reply gives                      AnswerReader, QuestionForm
predictions  answers in files                                    read_predictions, Predictions
scoring      how many of them are right                          score
paired       two models on the same questions                    pair
result       what was asked, answered and counted               Result, Score
steps        what a reply claims on its way, judged             StepJudge
reward       replies of a model in training                     reward
"""
