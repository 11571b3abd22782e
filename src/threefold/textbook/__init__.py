"""The procedures as the books print them: interpreted, with every step visible."""
