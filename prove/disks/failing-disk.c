/*
 * A disk that fails, for one process: preloaded, it lets the n-th read, write or synchronisation of files whose names
 * begin with a path fail with EIO, as a defective sector or a lost network volume does.
 *
 *   cc -shared -fPIC -o failing-disk.so failing-disk.c -ldl
 *   LD_PRELOAD=failing-disk.so FAILING_DISK=/path/hookdrift.db FAILING_CALL=read FAILING_FROM=3 FAILING_TO=3 PROGRAM
 *
 * FAILING_COUNT: a file that has, at the end, how many calls of that kind there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int is_of_disk(int fd) {
  const char *disk = getenv("FAILING_DISK");
  char link[64], path[4096];
  if (disk == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return strncmp(path, disk, strlen(disk)) == 0;
}

/* Whether this call fails. */
static int fails(const char *kind, int fd) {
  const char *failing = getenv("FAILING_CALL"), *from = getenv("FAILING_FROM"), *to = getenv("FAILING_TO");
  if (failing == NULL || strcmp(failing, kind) != 0 || !is_of_disk(fd)) return 0;
  long call = atomic_fetch_add(&calls, 1) + 1;
  if (from == NULL || to == NULL || call < atol(from) || call > atol(to)) return 0;
  errno = EIO;
  return 1;
}

__attribute__((destructor)) static void tell(void) {
  const char *file = getenv("FAILING_COUNT");
  FILE *out = file == NULL ? NULL : fopen(file, "w");
  if (out == NULL) return;
  fprintf(out, "%ld", atomic_load(&calls));
  fclose(out);
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define FAILING(kind, type, name, parameters, arguments)  \
  type name parameters {                                  \
    return fails(kind, fd) ? -1 : REAL(name) arguments;   \
  }

FAILING("read", ssize_t, read, (int fd, void *to, size_t bytes), (fd, to, bytes))
FAILING("read", ssize_t, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
FAILING("read", ssize_t, pread64, (int fd, void *to, size_t bytes, off64_t at), (fd, to, bytes, at))
FAILING("write", ssize_t, write, (int fd, const void *of, size_t bytes), (fd, of, bytes))
FAILING("write", ssize_t, pwrite, (int fd, const void *of, size_t bytes, off_t at), (fd, of, bytes, at))
FAILING("write", ssize_t, pwrite64, (int fd, const void *of, size_t bytes, off64_t at), (fd, of, bytes, at))
FAILING("sync", int, fsync, (int fd), (fd))
FAILING("sync", int, fdatasync, (int fd), (fd))
