"""`robustness`: one system answers a clean query and the same query made careless; a judge compares the replies."""

from mysteryshopper.protocols.robustness.options import RobustnessOptions
from mysteryshopper.protocols.robustness.procedure import Robustness

__all__ = ["Robustness", "RobustnessOptions"]
