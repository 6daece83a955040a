"""`style-control`: simulated users are asked to write in a style; is it found in what they write?"""

from mysteryshopper.protocols.style_control.options import StyleOptions
from mysteryshopper.protocols.style_control.procedure import StyleControl

__all__ = ["StyleControl", "StyleOptions"]
