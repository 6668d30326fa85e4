"""Asking language models: prompts to replies, through any OpenAI-compatible service.

endpoint  one request, and what can go wrong with it               Endpoint
run       many questions at once, each paid for once               ask, Outcome
"""
