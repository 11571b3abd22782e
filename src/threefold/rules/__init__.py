"""The rules contract: `Game`, its hooks and their defaults, and arithmetic on words."""
