"""Stands in for matplotlib, which the programs import and do not use."""
