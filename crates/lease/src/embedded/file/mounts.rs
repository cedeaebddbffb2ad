//! The file system that a folder is on.

/// File systems that several machines share, as mount tables name them. Their locks and their
/// durability cannot be relied on.
#[cfg(any(target_os = "linux", test))]
const SHARED: &str = "9p afs beegfs ceph cifs coda davfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 \
                      ocfs2 orangefs pvfs2 smb3 smbfs sshfs virtiofs weka wekafs";
/// The same in user space, behind `fuse.`.
#[cfg(any(target_os = "linux", test))]
const SHARED_FUSE: &str = "blobfuse blobfuse2 ceph cephfs gcsfuse geesefs glusterfs goofys \
                           juicefs mfs mount-s3 mountpoint-s3 ossfs quobyte rclone s3fs seaweedfs \
                           smbnetfs sshfs";

/// The verdict on a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fitness {
    /// One machine has it, or its type is not shown.
    Fit,
    /// Of this type, in user space, which shows nothing about who shares it.
    Doubtful(String),
    /// Of this type, which machines share.
    Shared(String),
}

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
fn fitness_of(file_system: &str) -> Fitness {
    let is_among = |list: &str, name| list.split(' ').any(|other| other == name);
    let is_shared = match file_system.strip_prefix("fuse.") {
        Some(name) => is_among(SHARED_FUSE, name) || is_among(SHARED, name),
        None => is_among(SHARED, file_system),
    };
    // `fuseblk` is a disk of this machine, for example with NTFS.
    let is_in_user_space = file_system == "fuse" || file_system.starts_with("fuse.");
    match (is_shared, is_in_user_space) {
        (true, _) => Fitness::Shared(file_system.to_owned()),
        (false, true) => Fitness::Doubtful(file_system.to_owned()),
        (false, false) => Fitness::Fit,
    }
}

/// Returns the verdict on the file system that a file or folder is on.
#[cfg(target_os = "linux")]
pub(super) fn fitness(metadata: &std::fs::Metadata) -> Fitness {
    use std::os::unix::fs::MetadataExt as _;

    let Ok(mountinfo) = std::fs::read_to_string("/proc/self/mountinfo") else {
        return Fitness::Fit;
    };
    let device = metadata.dev();
    // The C library takes device numbers apart like this.
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff;
    let minor = minor & 0xffff_ffff;
    file_system(&mountinfo, major, minor).map_or(Fitness::Fit, fitness_of)
}

/// Other systems do not show it.
#[cfg(not(target_os = "linux"))]
pub(super) fn fitness(_: &std::fs::Metadata) -> Fitness {
    Fitness::Fit
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
        let shared = "nfs nfs4 cifs 9p ceph weka orangefs fuse.sshfs fuse.glusterfs fuse.blobfuse2 \
                      fuse.ossfs fuse.geesefs fuse.mfs fuse.quobyte fuse.weka fuse.orangefs \
                      fuse.mountpoint-s3";
        for name in shared.split(' ') {
            assert_eq!(fitness_of(name), Fitness::Shared(name.to_owned()));
        }
        for name in ["fuse.gocryptfs", "fuse.new-cloud-fs", "fuse"] {
            assert_eq!(fitness_of(name), Fitness::Doubtful(name.to_owned()));
        }
        for name in ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "fuseblk"] {
            assert_eq!(fitness_of(name), Fitness::Fit, "{name}");
        }
    }
}
