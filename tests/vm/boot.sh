#!/bin/busybox sh
# The first process, from the kernel's initial archive: finds the disks and goes on with init.sh from the second one.
b=/bin/busybox
for driver in /drivers/*.ko; do $b insmod "$driver" || echo "boot: no $driver"; done
$b mount -t devtmpfs dev /dev
tries=0
while [ ! -e /dev/vda ] || [ ! -e /dev/vdb ]; do # drivers find their devices in their own time
    tries=$((tries + 1))
    [ $tries -lt 100 ] || break
    $b sleep 0.1
done
$b mount -t ext4 -o ro /dev/vda /system && $b mount -t ext4 -o ro /dev/vdb /system/test && exec $b switch_root /system /bin/sh /test/init.sh
echo "boot: no disks; there are: $($b ls /dev | $b tr "\n" " ")"
$b poweroff -f
