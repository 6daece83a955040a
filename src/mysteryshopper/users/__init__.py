"""Simulated users, one file a kind. What they want is in their profile; what they saw is in the view of each turn."""

from mysteryshopper.core import Registry

USERS = Registry(
    "user",
    {
        "agenda": "mysteryshopper.users.agenda:AgendaUser",
        "dual-prompt": "mysteryshopper.users.dual_prompt:DualPromptUser",
        "replay": "mysteryshopper.users.replay:ReplayUser",
        "scripted": "mysteryshopper.users.scripted:ScriptedUser",
        "single-prompt": "mysteryshopper.users.single_prompt:SinglePromptUser",
    },
    "mysteryshopper.users",
)

__all__ = ["USERS"]
