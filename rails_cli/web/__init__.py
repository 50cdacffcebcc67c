"""Games for browsers: boards as SVG, and a logged game as one page. Nothing is fetched from other sites."""
