/* SPDX-License-Identifier: MIT */
#include "registers.h"

#include <string.h>

#include "../qemu_plugin_api.h"

enum { RDI, RSI, RDX, RAX, REGISTERS };

static const char *const names[REGISTERS] = {
	[RDI] = "rdi", [RSI] = "rsi", [RDX] = "rdx", [RAX] = "rax",
};
static struct qemu_plugin_register *handle[REGISTERS];

void vpmu_registers_find(void)
{
	GArray *list = qemu_plugin_get_registers();

	for (uint32_t i = 0; i < list->len; i++) {
		const qemu_plugin_reg_descriptor *d =
			&((const qemu_plugin_reg_descriptor *)(const void *)list->data)[i];

		for (int k = 0; k < REGISTERS; k++)
			if (!strcmp(d->name, names[k]))
				handle[k] = d->handle;
	}
	g_array_free(list, 1);
}

static uint64_t read_register(int which)
{
	static __thread GByteArray *bytes;
	uint64_t value = 0;

	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	if (!handle[which] || qemu_plugin_read_register(handle[which], bytes) < 8)
		return 0;
	memcpy(&value, bytes->data, sizeof(value));
	return value;
}

uint64_t vpmu_register_argument(uint32_t number)
{
	return number < RAX ? read_register((int)number) : 0;
}

uint64_t vpmu_register_result(void)
{
	return read_register(RAX);
}
