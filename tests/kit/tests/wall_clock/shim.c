/* Shifts the wall clock of one process; see shim.rs, which builds and controls it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The layout of the shared file. Slot `version & 1` is in force. */
struct shift {
    int64_t offset; /* nanoseconds by which the wall clock is ahead of CLOCK_MONOTONIC_RAW at `base` */
    int64_t base;   /* the time of that offset, by CLOCK_MONOTONIC_RAW in nanoseconds */
    int64_t before; /* the slew until then, parts in a billion */
    int64_t after;  /* the slew from then on */
};
struct control {
    uint64_t version;
    struct shift slots[2];
};

static struct control *control;
static int (*real)(clockid_t, struct timespec *);

static void start(void) {
    const char *path = getenv("TICKID_WALL_CLOCK");
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int file = path ? open(path, O_RDONLY) : -1;
    if (!real || file < 0) abort();
    void *mapped = mmap(NULL, sizeof *control, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) abort();
    close(file);
    __atomic_store_n(&control, mapped, __ATOMIC_RELEASE);
}

static int64_t nanos(clockid_t id) {
    struct timespec time;
    real(id, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Of one clock, so that the sum does not run back. */
static int64_t wall(void) {
    for (;;) {
        uint64_t version = __atomic_load_n(&control->version, __ATOMIC_ACQUIRE);
        struct shift shift = control->slots[version & 1];
        int64_t raw = nanos(CLOCK_MONOTONIC_RAW);
        int64_t passed = raw - shift.base;
        int64_t slew = passed < 0 ? shift.before : shift.after;
        int64_t slewed = (int64_t)((__int128)passed * slew / 1000000000);
        int64_t time = raw + shift.offset + slewed;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        /* A caller held up above must not return the time of a shift that is over. */
        if (__atomic_load_n(&control->version, __ATOMIC_RELAXED) == version) return time;
    }
}

int clock_gettime(clockid_t id, struct timespec *time) {
    if (!__atomic_load_n(&control, __ATOMIC_ACQUIRE)) start();
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) return real(id, time);
    int64_t now = wall();
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
