from tests.sources.scripted import scripted as scripted  # a fixture
