// SPDX-License-Identifier: MIT
/* Fills a map, sorts and sums a vector. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace work {
template <class T> __attribute__((noinline)) T sum(const std::vector<T> &v) { T s = 0; for (T x : v) s += x; return s; }
struct Tree {
    std::map<int, std::string> m;
    __attribute__((noinline)) void fill(int n) { for (int i = 0; i < n; i++) m[i * 7919 % 20011] = "x"; }
};
}

int main() {
    work::Tree t;
    std::vector<long> v(2000000, 3);
    t.fill(10000);
    std::sort(v.begin(), v.begin() + 40000);
    std::printf("%ld %zu\n", work::sum(v), t.m.size());
}
