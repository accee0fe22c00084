# SPDX-License-Identifier: MIT
"""What pip asks for a wheel: the module, which loads the library of this installation."""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def record_row(name, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(text.encode())}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(os.path.join(HERE, "ipmu.py"), encoding="utf-8") as source:
        module = source.read()
    version = re.search(r'^__version__ = "(.*)"$', module, re.M)[1]
    # In site-packages the way to the library is another one.
    module = module.replace("os.path.dirname(os.path.realpath(__file__))", repr(HERE))
    info = f"ipmu-{version}.dist-info"
    files = {
        "ipmu.py": module,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: ipmu\nVersion: {version}\n"
                            "Summary: counts events of documented Intel PMUs\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: ipmu\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(map(record_row, *zip(*files.items()))) + f"{info}/RECORD,,\n"
    wheel = f"ipmu-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel
