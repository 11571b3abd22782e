"""Many machines: what matches, training and databases share to use a Ray cluster."""
