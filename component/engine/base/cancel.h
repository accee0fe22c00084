/* SPDX-License-Identifier: MIT */
/* A thread that is cancelled (pthread_cancel) inside the library would leave locks held and
 * registers half written: the request waits until it is outside again. */
#ifndef IPMU_CANCEL_H
#define IPMU_CANCEL_H

#include <pthread.h>

static inline int ipmu_cancel_hold(void)
{
	int was = PTHREAD_CANCEL_ENABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	return was;
}

static inline void ipmu_cancel_release(int was)
{
	pthread_setcancelstate(was, &was);
}

#endif
