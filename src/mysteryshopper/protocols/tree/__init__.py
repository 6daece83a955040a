"""`tree`: two systems answer the same histories, breadth first; a judge compares their replies pair by pair."""

from mysteryshopper.protocols.tree.options import TreeOptions
from mysteryshopper.protocols.tree.procedure import TreeComparison

__all__ = ["TreeComparison", "TreeOptions"]
