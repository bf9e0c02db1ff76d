from tests.sources.mediawiki import mediawiki as mediawiki  # fixtures
from tests.sources.scripted import scripted as scripted
