//! The file system that a folder is on.

/// File systems that several machines share, as mount tables name them. Their locks and their
/// durability cannot be relied on.
#[cfg(any(target_os = "linux", test))]
const SHARED: &str = "9p afs beegfs ceph cifs coda davfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 \
                      ocfs2 smb3 smbfs sshfs virtiofs";
/// The same in user space, behind `fuse.`.
#[cfg(any(target_os = "linux", test))]
const SHARED_FUSE: &str = "ceph cephfs gcsfuse glusterfs goofys juicefs mount-s3 rclone s3fs \
                           seaweedfs smbnetfs sshfs";

/// Returns the type of the file system with a device number, from a Linux table of mounts
/// (`mountinfo`).
#[cfg(any(target_os = "linux", test))]
fn file_system(mountinfo: &str, major: u64, minor: u64) -> Option<&str> {
    let device = format!("{major}:{minor}");
    let line = mountinfo.lines().find(|line| line.split(' ').nth(2) == Some(&device))?;
    // A variable number of fields, and a hyphen, come before the type.
    line.split_once(" - ")?.1.split(' ').next()
}

#[cfg(any(target_os = "linux", test))]
fn is_shared(file_system: &str) -> bool {
    let is_among = |list: &str, name| list.split(' ').any(|other| other == name);
    match file_system.strip_prefix("fuse.") {
        Some(name) => is_among(SHARED_FUSE, name) || is_among(SHARED, name),
        None => is_among(SHARED, file_system),
    }
}

/// Returns the type of the file system that a file or folder is on, if several machines share it.
#[cfg(target_os = "linux")]
pub(super) fn shared_file_system(metadata: &std::fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;

    let mountinfo = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let device = metadata.dev();
    // As the C library takes device numbers apart.
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff;
    let minor = minor & 0xffff_ffff;
    file_system(&mountinfo, major, minor).filter(|kind| is_shared(kind)).map(str::to_owned)
}

/// Other systems do not show it.
#[cfg(not(target_os = "linux"))]
pub(super) fn shared_file_system(_: &std::fs::Metadata) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext4 /dev/root rw,errors=continue
37 35 0:52 / /home rw shared:2 master:3 - nfs4 server:/home rw,vers=4.2
38 35 0:53 / /data rw - fuse.sshfs me@server:/data rw
39 35 0:5 / /dev rw - devtmpfs udev rw
";

    #[test]
    fn finds_devices_by_number() {
        assert_eq!(file_system(TABLE, 98, 0), Some("ext4"));
        assert_eq!(file_system(TABLE, 0, 52), Some("nfs4"));
        assert_eq!(file_system(TABLE, 0, 53), Some("fuse.sshfs"));
        assert_eq!(file_system(TABLE, 0, 5), Some("devtmpfs"));
        assert_eq!(file_system(TABLE, 8, 0), None);
    }

    #[test]
    fn shared_filesystems_are_known() {
        for name in ["nfs", "nfs4", "cifs", "9p", "ceph", "fuse.sshfs", "fuse.glusterfs"] {
            assert!(is_shared(name), "{name}");
        }
        for name in ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "fuse.gocryptfs", "fuse"] {
            assert!(!is_shared(name), "{name}");
        }
    }
}
