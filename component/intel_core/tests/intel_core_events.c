/* SPDX-License-Identifier: MIT */
/* Each event that the component lists can be counted. */
#include "../../papi_glue/component_test.h"

int main(int argc, char **argv)
{
	component_test_all(component_test_begin(argc, argv, "intel_core"));
	test_pass(__FILE__);
}
