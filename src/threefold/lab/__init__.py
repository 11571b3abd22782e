"""The lab: a web page to play, analyze, step through and learn, served from this machine."""
