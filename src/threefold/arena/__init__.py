"""Measuring players: matches, tournaments, ratings and tuning, on one machine or a cluster."""
