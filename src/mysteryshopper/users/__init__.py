"""Simulated users, one file a kind. What they want is in their profile; what they saw is in the view of each turn."""

from mysteryshopper.core import Registry

USERS = Registry(
    "user",
    {
        "adaptsim": "mysteryshopper.users.adaptsim:AdaptSimUser",
        "agenda": "mysteryshopper.users.agenda:AgendaUser",
        "cshi": "mysteryshopper.users.cshi:CSHIUser",
        "dual-prompt": "mysteryshopper.users.dual_prompt:DualPromptUser",
        "ievalm": "mysteryshopper.users.ievalm:IEvaLMUser",
        "ievalm-published": "mysteryshopper.users.ievalm:PublishedIEvaLMUser",
        "recusersim": "mysteryshopper.users.recusersim:RecUserSim",
        "replay": "mysteryshopper.users.replay:ReplayUser",
        "scripted": "mysteryshopper.users.scripted:ScriptedUser",
        "simple-usersim": "mysteryshopper.users.simple_usersim:SimpleUserSim",
        "single-prompt": "mysteryshopper.users.single_prompt:SinglePromptUser",
        "target-free": "mysteryshopper.users.target_free:TargetFreeUser",
    },
    "mysteryshopper.users",
)

__all__ = ["USERS"]
