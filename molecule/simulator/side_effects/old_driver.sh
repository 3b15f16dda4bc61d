#!/bin/sh
# A held driver is not touched; a released one goes back to 6.4.2, which Linux 6.4 and newer cannot compile.
set -u
. /etc/os-release
case $VERSION_CODENAME in
  bookworm) codename=jammy ubuntu=22.04 ;;
  *) codename=noble ubuntu=24.04 ;;
esac
version=1:6.12.12.60402-2187269.$ubuntu
export DEBIAN_FRONTEND=noninteractive
echo "deb [signed-by=/etc/apt/keyrings/rocm.gpg] file:///srv/repo/amdgpu/6.4.2/ubuntu $codename main" \
  > /etc/apt/sources.list.d/amdgpu-old.list
apt-get -qq update || exit 1

# try NAME: leaves the output and the status in root's home.
try() {
  apt-get install --yes --allow-downgrades "amdgpu-dkms=$version" "amdgpu-dkms-firmware=$version" > "/root/$1.log" 2>&1
  echo $? > "/root/$1.rc"
}

apt-mark hold amdgpu-dkms
try held
apt-mark unhold amdgpu-dkms
try old
