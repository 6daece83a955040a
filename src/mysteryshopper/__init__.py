"""Simulated users who test conversational recommenders and agents, and are tested themselves against people."""

__version__ = "0.1.0.dev0"
