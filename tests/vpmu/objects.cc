// SPDX-License-Identifier: MIT
/* Allocates by C++: a map of 100 nodes, five arrays, a vector, an exception. */
#include <map>
#include <memory>
#include <vector>

__attribute__((noinline)) static double *make(int n) { return new double[n]; }
int main()
{
	std::map<int, double> map;
	volatile double sum = 0;
	for (int i = 0; i < 100; i++)
		map[i] = i;
	for (int i = 0; i < 5; i++) {
		double *p = make(1000 + i);
		p[i] = i;
		sum += p[i];
		delete[] p;
	}
	try {
		std::vector<char> v(10);
		v.at(20) = 1;
	} catch (const std::exception &) {
		sum += 1;
	}
	return sum < 0;
}
