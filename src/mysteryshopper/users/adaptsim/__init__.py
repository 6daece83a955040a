"""`adaptsim`: a person who thinks, decides freely what to do, and writes in a style that can be asked for."""

from mysteryshopper.users.adaptsim.instruction import general_instruction, initial_instruction, read_instruction
from mysteryshopper.users.adaptsim.options import AdaptSimOptions
from mysteryshopper.users.adaptsim.user import AdaptSimUser

__all__ = ["AdaptSimOptions", "AdaptSimUser", "general_instruction", "initial_instruction", "read_instruction"]
