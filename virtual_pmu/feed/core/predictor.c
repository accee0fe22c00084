/* SPDX-License-Identifier: MIT */
#include "predictor.h"

static bool predict_target(struct vpmu_predictor *p, uint64_t address, uint64_t target)
{
	uint32_t i = (uint32_t)(address % VPMU_PREDICTOR_TARGETS);
	bool foreseen = p->targets[i].branch == address && p->targets[i].target == target;

	p->targets[i].branch = address;
	p->targets[i].target = target;
	return foreseen;
}

static void push_return(struct vpmu_predictor *p, uint64_t address)
{
	p->returns[p->depth++ % VPMU_PREDICTOR_RETURNS] = address;
}

static bool predict_return(struct vpmu_predictor *p, uint64_t target)
{
	uint32_t top = --p->depth % VPMU_PREDICTOR_RETURNS;
	bool foreseen = p->returns[top] == target;

	p->returns[top] = 0;
	return foreseen;
}

bool vpmu_predict(struct vpmu_predictor *p, const struct vpmu_branched *b)
{
	bool settled;

	switch (b->kind) {
	case VPMU_CONDITIONAL:
		return vpmu_predict_condition(p, b->address, b->target != b->next, &settled);
	case VPMU_JUMP_INDIRECT:
		return predict_target(p, b->address, b->target);
	case VPMU_CALL:
		push_return(p, b->next);
		return true;
	case VPMU_CALL_INDIRECT:
		push_return(p, b->next);
		return predict_target(p, b->address, b->target);
	case VPMU_RETURN:
		return predict_return(p, b->target);
	default:
		return true;
	}
}
