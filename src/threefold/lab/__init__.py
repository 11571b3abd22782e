"""The lab: a web page to play, analyse, step through and learn, served from this machine."""
