"""Japanese eras, separate from the number patterns so that a list command loads only them."""

from __future__ import annotations

ERA_START = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
}  # the year before 元年
