"""Asking language models: prompts to replies, through any OpenAI-compatible service.

endpoint  one request, and what can go wrong with it               Endpoint
patience  how long to wait before the next try
record    the file of replies, which only grows                    Record
run       many questions at once, each paid for once               ask, Asking, Outcome
"""

from clutrr.ask.endpoint import Endpoint, Reply, Sampling
from clutrr.ask.run import Asking, Outcome, ask

__all__ = ["Asking", "Endpoint", "Outcome", "Reply", "Sampling", "ask"]
