"""Speaking with other programs: UCI, XBoard and GTP, as the engine and as the one who drives it."""
