from tests.sources.archives import archive as archive  # fixtures
from tests.sources.scripted import scripted as scripted
