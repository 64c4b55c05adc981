/* A file system that lacks what SQLite needs, where it is preloaded: FAULT says what, and ERRNO with which error.
 * `memory`: a shared mapping, as folders that a machine shares with its host; `locks`; `sync`; `write`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Whether it is a file of SQLite, and this its fault. */
static int fails(const char *fault, int fd) {
  const char *chosen = getenv("FAULT");
  if (fd < 0 || chosen == NULL || strcmp(chosen, fault) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strstr(path, "history.db") == NULL) return 0;
  errno = atoi(getenv("ERRNO"));
  return 1;
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t from) {
  REAL(mmap);
  return (flags & MAP_SHARED) && fails("memory", fd) ? MAP_FAILED : real(at, length, protection, flags, fd, from);
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t from) {
  return mmap(at, length, protection, flags, fd, from);
}
int fcntl(int fd, int command, ...) {
  REAL(fcntl);
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return command == F_SETLK && fails("locks", fd) ? -1 : real(fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return fcntl(fd, command, argument);
}
int fsync(int fd) {
  REAL(fsync);
  return fails("sync", fd) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return fails("sync", fd) ? -1 : real(fd);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  REAL(pwrite64);
  return fails("write", fd) ? -1 : real(fd, bytes, length, at);
}
