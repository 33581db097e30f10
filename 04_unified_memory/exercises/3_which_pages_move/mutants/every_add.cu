// SPDX-License-Identifier: MIT
// Moves everything for every add.
//   rejected: prediction: ten adds, to the device: predicted 80
void predict_moved(struct moved bytes[STORIES]) {
    bytes[HOST_FILLS].to_device = 8, bytes[HOST_FILLS].to_host = 4;
    bytes[DEVICE_FILLS].to_device = 0, bytes[DEVICE_FILLS].to_host = 4;
    bytes[TEN_ADDS].to_device = 80, bytes[TEN_ADDS].to_host = 4;
    bytes[TEN_READS].to_device = 44, bytes[TEN_READS].to_host = 40;
    bytes[COPY].to_device = 4, bytes[COPY].to_host = 4;
}
