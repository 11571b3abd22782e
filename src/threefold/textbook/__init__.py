"""The procedures of lectures and books: interpreted, with every step visible."""
