"""Games in web browsers: boards as SVG, and a logged game as one page. Pages load nothing from other servers."""
