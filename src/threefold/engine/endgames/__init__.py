"""End-game databases as searches use them: what tables hold, their files, and looking into them."""
