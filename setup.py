"""What pyproject.toml cannot say: the examples are a folder of the package `leadline` once it is installed."""

from setuptools import find_packages, setup

PACKAGES = ("graph", "nodes", "prompts", "schemas", "services", "leadline")

setup(
    packages=[
        *find_packages(include=[pattern for name in PACKAGES for pattern in (name, f"{name}.*")]),
        "leadline.examples",
    ],
    package_dir={"leadline.examples": "examples"},
)
