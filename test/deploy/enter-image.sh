# Makes a root file system out of an image and this machine's base, read-only but for the state, and becomes a program
# in it: process 1, with the image's user, without any privilege. Runs in namespaces of its own (unshare -m -p -f).
# usage: sh enter-image.sh ROOT IMAGE CONFIG SECRETS STATE WORKDIR UID:GID NODE COMMAND...
set -eu
root=$1 image=$2 config=$3 secrets=$4 state=$5 workdir=$6 user=$7 node=$8
shift 8
mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
for name in proc dev usr etc/hookdrift run/secrets var/lib/hookdrift; do mkdir -p "$root/$name"; done
# The base: its programs and libraries, none of its /usr/local, nothing else of this machine.
for name in bin lib lib64 sbin; do if [ -L "/$name" ]; then ln -s "usr/$name" "$root/$name"; fi; done
mount --bind /usr "$root/usr"
mount --bind "$image/usr/local" "$root/usr/local"
: > "$image/usr/local/bin/node"
mount --bind "$node" "$root/usr/local/bin/node"
mount -t proc proc "$root/proc"
for name in null urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount --bind "$config" "$root/etc/hookdrift"
mount --bind "$secrets" "$root/run/secrets"
mount --bind "$state" "$root/var/lib/hookdrift"
for name in usr usr/local etc/hookdrift run/secrets; do mount -o remount,bind,ro "$root/$name"; done
mount -o remount,ro "$root"
exec chroot "$root" /usr/bin/setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs \
  --bounding-set=-all /usr/bin/env -C "$workdir" "$@"
