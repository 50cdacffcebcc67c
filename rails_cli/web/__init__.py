"""Games for browsers: boards as SVG, and a logged game as one page. Nothing here is fetched from elsewhere."""
