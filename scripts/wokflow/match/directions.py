"""The directions in which recipes are paired."""

DIRECTIONS = {  # the source and the target corpus of each
    "zh-en": ("xiachufang", "recipenlg"),
    "en-zh": ("recipenlg", "xiachufang"),
}
