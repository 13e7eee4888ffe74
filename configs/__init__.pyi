from .settings import Settings as Settings
from .settings import SettingsError as SettingsError
from .settings import load as load
