"""Many machines: what matches and training share to use a Ray cluster."""
