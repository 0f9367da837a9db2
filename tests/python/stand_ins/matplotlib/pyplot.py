"""matplotlib.pyplot"""
