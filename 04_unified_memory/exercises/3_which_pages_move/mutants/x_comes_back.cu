// SPDX-License-Identifier: MIT
// Nobody reads x on the host again.
//   rejected: prediction: host fills, to the host: predicted 8
void predict_moved(struct moved bytes[STORIES]) {
    bytes[HOST_FILLS].to_device = 8, bytes[HOST_FILLS].to_host = 8;
    bytes[DEVICE_FILLS].to_device = 0, bytes[DEVICE_FILLS].to_host = 4;
    bytes[TEN_ADDS].to_device = 8, bytes[TEN_ADDS].to_host = 4;
    bytes[TEN_READS].to_device = 44, bytes[TEN_READS].to_host = 40;
    bytes[COPY].to_device = 4, bytes[COPY].to_host = 4;
}
