"""Simulated users against each other: the same people, played by each, talk to the same systems; a judge compares."""

from mysteryshopper.protocols.simulator_comparison.procedure import SimulatorComparison

__all__ = ["SimulatorComparison"]
