"""What pyproject.toml cannot say: the examples are a folder of the package `leadline` once it is installed.

In a clone they stay where they lie. The clone is on Python's path then, where a package comes before a folder of its name, such
as the clone itself beside a script; setuptools' import hook would come after it.
"""

import sys

from setuptools import find_packages, setup

PACKAGES = ("graph", "nodes", "prompts", "schemas", "services", "leadline")
IN_CLONE = "editable_wheel" in sys.argv

setup(
    packages=[
        *find_packages(include=[pattern for name in PACKAGES for pattern in (name, f"{name}.*")]),
        *([] if IN_CLONE else ["leadline.examples"]),
    ],
    package_dir={"": "."} if IN_CLONE else {"leadline.examples": "examples"},
)
